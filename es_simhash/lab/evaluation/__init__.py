"""How good an answer is: measures of rankings, and exact similarities to measure on."""
