import { readCount } from "../read-count.ts";

export interface PortableLimits {
  /**
   * Bytes of a file that came with an event. A larger one is left out, and a line says so: a line is in memory several
   * times while it is read and written.
   */
  readonly attachmentBytes: number;
  /** Lines of one request of an import: one transaction of the store, which takes less than a second. */
  readonly linesAtOnce: number;
  /** Bytes of one request of an import. The largest attachment in base64 fits, with room for its other fields. */
  readonly chunkBytes: number;
}

export const portableLimits: PortableLimits = {
  attachmentBytes: 8_388_608,
  linesAtOnce: 500,
  chunkBytes: 12_582_912,
};

/** Applies the operator's settings. */
export function portableLimitsOf(env: NodeJS.ProcessEnv): PortableLimits {
  const chunkBytes = readCount(env, "HOLDFAST_IMPORT_BYTES");
  return { ...portableLimits, ...(chunkBytes !== undefined && { chunkBytes }) };
}
