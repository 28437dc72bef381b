import type { Envelope, Reading } from "#protocol";
import { type AcceptDeps, acceptEnvelope, type OutcomeListener } from "./accept-envelope.ts";
import type { Address } from "./address.ts";
import { type Delivery, failureOf, type IngestDeps } from "./delivery.ts";
import { fromCheckInRequest } from "./from-check-in-request.ts";
import { fromSecurityReport } from "./from-security-report.ts";
import { fromStoreBody } from "./from-store-body.ts";
import { fromOtlp } from "./otlp/from-otlp.ts";
import type { AcceptOutcome } from "./outcome.ts";
import { receiveBody, WholeBody } from "./read-body.ts";
import type { Sending } from "./sending.ts";

type WholeAddress = Exclude<Address, { kind: "envelope" | "unknown" }>;

export function receiveWhole(deps: IngestDeps, delivery: Delivery, sending: Sending, address: WholeAddress): void {
  const { protocol } = deps.limits;
  const isExport = address.kind === "otlp-traces" || address.kind === "otlp-logs";
  const maxBytes = isExport ? protocol.containerBytes : protocol.eventBytes;
  const body = new WholeBody(maxBytes);
  receiveBody(delivery, deps, body, (reading) =>
    delivery.attempt(() => {
      if (body.isTooLarge)
        return delivery.end({ kind: "too-large", why: `What is sent here may have ${maxBytes} bytes.` });
      const failed = failureOf(reading);
      if (failed !== undefined) return delivery.end(failed);
      const envelopes = envelopesOf(body.bytes, delivery, address, deps);
      if (envelopes.kind === "unreadable") return delivery.end({ kind: "malformed", why: envelopes.why });
      acceptAll(deps, sending, envelopes.value, delivery.end);
    }),
  );
}

/** An export is accepted or retried as a whole. Duplicates of a retry are recognised by their ids. */
function acceptAll(deps: AcceptDeps, sending: Sending, envelopes: readonly Envelope[], done: OutcomeListener): void {
  let left = envelopes.length;
  let worst: AcceptOutcome = { kind: "accepted", eventId: undefined, limits: [] };
  if (left === 0) return done(worst);
  for (const [index, envelope] of envelopes.entries()) {
    acceptEnvelope(deps, sending, { kind: "read", envelope, original: undefined }, (outcome) => {
      left -= 1;
      if (outcome.kind !== "accepted" || (index === 0 && worst.kind === "accepted")) worst = outcome;
      if (left === 0) done(worst);
    });
  }
}

function envelopesOf(
  body: Buffer,
  { request, destination }: Delivery,
  address: WholeAddress,
  { limits }: IngestDeps,
): Reading<readonly Envelope[]> {
  const fields = new URLSearchParams(destination.query);
  switch (address.kind) {
    case "store":
      return single(fromStoreBody(body, limits));
    case "check-in":
      return single(fromCheckInRequest(address.monitor, fields, body, limits));
    case "security-report":
      return fromSecurityReport(
        body,
        {
          release: fields.get("sentry_release") ?? undefined,
          environment: fields.get("sentry_environment") ?? undefined,
          userAgent: request.headers["user-agent"],
        },
        limits,
      );
    case "otlp-traces":
    case "otlp-logs": {
      const format = (request.headers["content-type"] ?? "").includes("protobuf") ? "protobuf" : "json";
      return fromOtlp(body, format, address.kind === "otlp-traces" ? "traces" : "logs", limits);
    }
  }
}

function single(reading: Reading<Envelope>): Reading<readonly Envelope[]> {
  return reading.kind === "read" ? { kind: "read", value: [reading.value] } : reading;
}
