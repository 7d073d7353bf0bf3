"""Faults: commands that are killed, cut off and lied to by the network, and what they leave."""
