import { EncodedBody } from "#http";
import type { BypassReason } from "#signals";
import { outsideRequests, visitScope } from "../author/visit-scope.ts";
import type { Decision } from "../decision.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { viewAfterFailure } from "../problems/problems.ts";
import { renderDocument } from "../render-document.ts";
import { type ShownView, wholeDocumentOf } from "../send/send-document.ts";
import { endLine, lateOf, preambleOf, writeView } from "../send/send-page-data.ts";
import type { Visit } from "../visit.ts";
import type { SharedOutcome } from "./shared-page.ts";

/**
 * Loads and renders a page for all visitors, in a visit of `openSharedVisit`: outside of the context of any request, so
 * that nothing of a visitor can reach it. Never rejects.
 */
export function renderShared(visit: Visit, show: (visit: Visit) => MaybePromise<Decision>): Promise<SharedOutcome> {
  return outsideRequests(() =>
    visitScope.run(visit, async (): Promise<SharedOutcome> => {
      try {
        return await render(visit, show);
      } catch (thrown) {
        visit.errors.record(thrown, "render", { visitorSaw: "nothing" });
        return { kind: "personal", reason: reasonOf(visit) ?? { kind: "failed" } };
      } finally {
        visit.exchange.response.destroy();
        visit.handled();
      }
    }),
  );
}

async function render(visit: Visit, show: (visit: Visit) => MaybePromise<Decision>): Promise<SharedOutcome> {
  const decision = await show(visit);
  await visit.durable;
  const reason = reasonOf(visit) ?? unfit(decision);
  if (reason || decision.kind === "redirect") return without(visit, decision, reason ?? { kind: "redirect" });
  visit.request.sealResponse();
  const rendered = await visit.signals.step("render", visit.route.pattern ?? "not-found", () =>
    renderDocument(visit, decision, { nonce: "", whole: true }),
  );
  if (rendered.kind === "failed") {
    await visit.durable;
    const next = viewAfterFailure(decision, rendered.digest);
    return without(visit, next ?? decision, { kind: "failed" });
  }
  const document = await wholeDocumentOf(visit, decision, rendered);
  const lines = await dataLines(visit, decision);
  await visit.durable;
  const { request } = visit;
  const page = {
    document: new EncodedBody(document.html),
    scripts: document.scripts,
    entityTag: document.entityTag,
    data: new EncodedBody(`${preambleOf(visit, "")}\n${lines}`),
    lines,
    headers: request.chosen?.headers ?? new Map(),
    html: request.chosen?.html,
  };
  const read = reasonOf(visit);
  if (read) return { kind: "personal", reason: read };
  if (visit.errors.isEmpty) return { kind: "page", page };
  return { kind: "unstored", decision: { kind: "shared", page }, reason: { kind: "failed" } };
}

/** The first read of something that belongs to a visitor. */
function reasonOf({ shared }: Visit): BypassReason | undefined {
  return shared?.reason;
}

function unfit(decision: Decision): BypassReason | undefined {
  if (decision.kind === "redirect") return { kind: "redirect" };
  const { kind, status } = decision.view;
  if (status >= 500) return { kind: "failed" };
  return kind === "page" && status === 200 ? undefined : { kind: "status", status };
}

/** Late values belong to the visit that loaded them: no other visit can send them. */
function without(visit: Visit, decision: Decision, reason: BypassReason): SharedOutcome {
  const read = reasonOf(visit);
  if (read || lateOf(decision).length > 0) return { kind: "personal", reason: read ?? reason };
  return { kind: "unstored", decision, reason };
}

/** The page data after its preamble, with all late values. */
async function dataLines(visit: Visit, shown: ShownView): Promise<string> {
  const lines = [writeView(visit, shown.view, shown.written, true)];
  await visit.late.each(lateOf(shown), (line) => lines.push(line));
  return `${[...lines, endLine].join("\n")}\n`;
}
