-- The parameters of a sweep's tasks, as JSON, in the row of their array: the sets of values are computed from it.
ALTER TABLE job ADD COLUMN parameters TEXT;
