"""The canary sweep: marked values walk through the running product, and are then looked for everywhere.

What is found in a place that is not on the list of `expected_findings` is a leak.
"""
