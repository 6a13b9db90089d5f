"""The commands, one module each. A command imports its heavy modules itself, so that help is fast.

demo       find a formula for an example
fit        find a formula for a column of a table
take       take another model of a fit
predict    predict with a fitted model
show       show a formula in a notation
studio     watch and steer a search in the browser
reproduce  run the paper's experiments
data       the problems' data
report     rewrite the report of a folder
"""
