/** What lies in a backup beside the files themselves: their SHA-256, by name, as JSON. */
export const checksumsName = "checksums.json";

/** The only names that are ever written from a backup into a data folder. */
export const restoredNames: RegExp =
  /^(?:projects\.json|settings\.json|audit\.jsonl|accounts\.db|store\/[\w-]+\.db|unfiled\/[\w-]+\.envelope)$/;
