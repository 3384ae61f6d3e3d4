"""What bench/run is made of: measuring in turn, servers and tables to measure on, the engine, the page."""
