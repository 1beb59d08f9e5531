-- One row that tells which edition of people, passes, limits and rates this is: whoever changes one of them, in
-- whatever program, makes a new one.
CREATE TABLE team_edition (n BIGINT NOT NULL);
INSERT INTO team_edition (n) VALUES (0);

CREATE TRIGGER people_added AFTER INSERT ON people BEGIN UPDATE team_edition SET n = n + 1; END;
CREATE TRIGGER people_changed AFTER UPDATE ON people BEGIN UPDATE team_edition SET n = n + 1; END;
CREATE TRIGGER people_removed AFTER DELETE ON people BEGIN UPDATE team_edition SET n = n + 1; END;

CREATE TRIGGER passes_added AFTER INSERT ON passes BEGIN UPDATE team_edition SET n = n + 1; END;
-- Not of last_used_at, which holds write.
CREATE TRIGGER passes_changed AFTER UPDATE OF id, person, hash, expires_at, revoked_at ON passes
BEGIN UPDATE team_edition SET n = n + 1; END;
CREATE TRIGGER passes_removed AFTER DELETE ON passes BEGIN UPDATE team_edition SET n = n + 1; END;

CREATE TRIGGER limits_added AFTER INSERT ON limits BEGIN UPDATE team_edition SET n = n + 1; END;
CREATE TRIGGER limits_changed AFTER UPDATE ON limits BEGIN UPDATE team_edition SET n = n + 1; END;
CREATE TRIGGER limits_removed AFTER DELETE ON limits BEGIN UPDATE team_edition SET n = n + 1; END;

CREATE TRIGGER rates_added AFTER INSERT ON rates BEGIN UPDATE team_edition SET n = n + 1; END;
CREATE TRIGGER rates_changed AFTER UPDATE ON rates BEGIN UPDATE team_edition SET n = n + 1; END;
CREATE TRIGGER rates_removed AFTER DELETE ON rates BEGIN UPDATE team_edition SET n = n + 1; END;
