"""The metrics, one module a table or topic: small functions whose docstrings are the definitions in
`advisor rules vocabulary`."""
