/** File in a backup with the SHA-256 of the others, by name, as JSON. */
export const checksumsName = "checksums.json";

/** The only names that a restore writes into a data folder. */
export const restoredNames: RegExp =
  /^(?:projects\.json|settings\.json|deploys\.json|alerts\.json|audit\.jsonl|accounts\.db|alerts\.db|balance\.db|store\/[\w-]+\.db|unfiled\/[\w-]+\.envelope)$/;
