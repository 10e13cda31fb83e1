"""Studies of coverage and error rates, whose tables are on the page *Statistics: evidence*."""
