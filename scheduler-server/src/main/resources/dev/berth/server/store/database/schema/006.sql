-- The token that made a token, with which it ends. Of those that are there already nobody knows.
ALTER TABLE token ADD COLUMN parent TEXT;
CREATE INDEX token_of_parent ON token (parent) WHERE parent IS NOT NULL;
