"""How runs reach a worker: a process of the server, procrastinate, or nobody until one asks."""
