/**
 * An issue is called by the newest event of the group it was born with, so that it keeps its name when others are
 * merged into it; what else it shows is that of the newest event of all.
 */
export const shownColumns = `
  type = CASE WHEN own.last_event IS NULL THEN i.type ELSE own.type END,
  title = CASE WHEN own.last_event IS NULL THEN i.title ELSE own.title END,
  culprit = CASE WHEN own.last_event IS NULL THEN i.culprit ELSE own.culprit END,
  level = coalesce(newest.level, i.level),
  last_release = CASE WHEN newest.last_event IS NULL THEN i.last_release ELSE newest.last_release END,
  last_event = coalesce(newest.last_event, i.last_event)`;

export const shownJoins = `LEFT JOIN holdfast.issue_group own ON own.id = u.id
  LEFT JOIN LATERAL (
    SELECT level, last_release, last_event FROM holdfast.issue_group
    WHERE issue = u.id AND last_event IS NOT NULL ORDER BY last_seen DESC, id DESC LIMIT 1
  ) newest ON true`;
