-- One row that tells which edition of these tables this is: every write makes a new one.
CREATE TABLE providers_edition (n BIGINT NOT NULL);
INSERT INTO providers_edition (n) VALUES (0);
