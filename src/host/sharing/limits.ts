/** Limits of the browser files that machines share through a PostgreSQL store. */
export interface SharingLimits {
  /** Bytes of one build in the database, with all encodings. `limits.sharedFileBytes` in the configuration. */
  buildBytes: number;
  /** A larger file is not shared: it is read into memory as a whole. Scripts and styles stay far below. */
  fileBytes: number;
  /**
   * The list of shared files is read again at most this often. Unknown names get their 404 without the database in
   * between, however many there are.
   */
  refreshMs: number;
  /** Bytes of all responses with shared files at once, and of those for one client. */
  sendingBytes: number;
  clientBytes: number;
  /** Bytes of the files that were last sent. After a deploy many tabs ask for the same ones. */
  cacheBytes: number;
  /** A start waits this long for the build to be stored; then the server reports that it is ready. */
  readyMs: number;
  /** Delay before a build is stored again that the database has not taken. */
  retryMs: number;
}

export const sharingLimits: SharingLimits = {
  buildBytes: 67_108_864,
  fileBytes: 8_388_608,
  refreshMs: 100,
  sendingBytes: 67_108_864,
  clientBytes: 16_777_216,
  cacheBytes: 16_777_216,
  readyMs: 5_000,
  retryMs: 5_000,
};
