-- Which half of a launch a STARTING job is in: 0 while its container is owed, 1 once that was made and its start may have
-- happened. A container that is missing after that is never made again.
ALTER TABLE job ADD COLUMN container_made INTEGER NOT NULL DEFAULT 0;
