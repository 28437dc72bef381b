import { describe, expect, it } from "vitest";
import { readCredentials } from "./auth.ts";
import { envelopeUrl, readDsn, writeDsn } from "./dsn.ts";
import {
  readBaggage,
  readSentryTrace,
  readTraceparent,
  writeBaggage,
  writeSentryTrace,
  writeTraceparent,
} from "./trace-headers.ts";

const traceId = "6729a172567d8fb0f8f9b793e2bb2098";
const spanId = "372708c0e96286ea";

describe("trace headers", () => {
  it("trace headers are read and written in both forms", () => {
    for (const sampled of [true, false]) {
      const parent = { traceId, spanId, sampled };
      expect(readSentryTrace(writeSentryTrace(parent))).toEqual(parent);
      expect(readTraceparent(writeTraceparent(parent))).toEqual(parent);
    }
    expect(readSentryTrace(`${traceId}-${spanId}`)).toEqual({ traceId, spanId });
  });

  it("trace headers are ignored when they are broken", () => {
    for (const header of ["", "x", `${traceId}-${spanId}-2`, `${"0".repeat(32)}-${spanId}-1`, `${traceId}`])
      expect(readSentryTrace(header)).toBeUndefined();
    for (const header of [
      `ff-${traceId}-${spanId}-01`,
      `00-${traceId}-${spanId}`,
      `00-${traceId}-${spanId}-01-extra`,
    ]) {
      expect(readTraceparent(header)).toBeUndefined();
    }
    expect(readTraceparent(`01-${traceId}-${spanId}-01-extra`)).toEqual({ traceId, spanId, sampled: true });
  });

  it("trace headers contain our members of the baggage beside those of others", () => {
    const header = writeBaggage({ trace_id: traceId, transaction: "GET /a b,c" }, "other=1;p=2, sentry-old=x");
    expect(header).toBe(`other=1;p=2,sentry-trace_id=${traceId},sentry-transaction=GET%20%2Fa%20b%2Cc`);
    expect(readBaggage(header)).toEqual({ trace_id: traceId, transaction: "GET /a b,c" });
    expect(readBaggage("sentry-a=%,sentry-__proto__=x")).toEqual(
      Object.fromEntries([
        ["a", "%"],
        ["__proto__", "x"],
      ]),
    );
  });
});

describe("a DSN", () => {
  it("is read and written, with port and folder", () => {
    for (const text of [
      "https://0123456789abcdef0123456789abcdef@errors.example/1",
      "http://k@[::1]:4600/errors/deep/42",
    ]) {
      const dsn = readDsn(text);
      expect(dsn && writeDsn(dsn)).toBe(text);
    }
    expect(envelopeUrl({ protocol: "http", publicKey: "k", host: "h", port: 1, path: "/x", project: "7" })).toBe(
      "http://h:1/x/api/7/envelope/",
    );
  });

  it("is refused if it is incomplete", () => {
    for (const text of [
      "",
      "https://host/1",
      "https://key@host/",
      "https://key@host/name",
      "ftp://key@host/1",
      "javascript:1",
    ]) {
      expect(readDsn(text)).toBeUndefined();
    }
  });
});

describe("credentials", () => {
  it("credentials are found in headers with spaces, quotes, secrets and capitals", () => {
    for (const sentryAuth of [
      "Sentry sentry_key=abc,sentry_version=7",
      "sentry  sentry_version=5 sentry_key=abc:secret",
      'SENTRY sentry_key="ABC"',
    ]) {
      expect(readCredentials({ sentryAuth })).toMatchObject({ kind: "key", publicKey: "abc" });
    }
  });

  it("no credentials are found where there are none", () => {
    for (const authorization of ["Bearer abc", "Basic !!!", "Sentry nothing", ""])
      expect(readCredentials({ authorization })).toEqual({ kind: "none" });
  });
});
