"""Callbacks for training libraries. Each module imports its library, and nothing of Berth's imports the modules."""
