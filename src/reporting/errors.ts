import { HoldfastError } from "#errors";
import { safeText } from "./describe/describe-thrown.ts";

/** Every error of this part. Codes are permanent. */
export const reportingErrors = {
  wrongDsn: (dsn: unknown): HoldfastError =>
    new HoldfastError(
      "wrong-dsn",
      `report.dsn ${typeof dsn === "string" ? JSON.stringify(dsn) : safeText(dsn)} is no DSN, so reports are kept on disk and go nowhere.`,
      "Set it to https://KEY@HOST/NUMBER, or leave it out to use the service that comes with the application.",
    ),
  reporterFailed: (why: string): HoldfastError =>
    new HoldfastError(
      "reporter-failed",
      `The reporter itself failed: ${why}.`,
      "The page went on; the error it was about may be missing.",
    ),
  deliveryFails: (where: string, why: string): HoldfastError =>
    new HoldfastError(
      "delivery-fails",
      `Reports cannot be delivered to ${where} (${why}). They are kept on disk for up to a day.`,
      "Check that the service runs and that the DSN is right.",
    ),
  diskFails: (folder: string, why: string): HoldfastError =>
    new HoldfastError(
      "outbox-disk-fails",
      `Reports cannot be written to ${folder} (${why}). They are held in memory as far as there is room.`,
      "Make room on the disk, or let the server write there.",
    ),
} as const;
