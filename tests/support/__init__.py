"""What tests of several rooms need: fixtures, an oracle, made-up texts, an OpenSearch."""
