"""Islands: several searches for one formula, which exchange programs and have one archive.

plan         `Islands`: how many there are, how they differ, who sends to whom
island       one of them between two epochs: state, archive, and the programs it sends
exchange     who leaves an island, and who settles on another
epoch        some generations of one island: a pure function, which any process may compute
description  what a worker needs to know of a search, sent once
voyage       epochs of all islands on a pool of workers
legs         how far the islands go before the clock is read again
joint        all islands seen as one state, one archive and one history
checkpoint   all islands on disk
search       the loop with its observers, from start to stop

An island's random streams have a seed of their own, drawn from the seed of the search and the island's number. Who
receives what is decided by generations, not by the clock. So the result depends on the seed and the number of islands,
and not on the workers.
"""
