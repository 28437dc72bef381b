import type { ReportedSpan } from "#protocol";
import { type SpanKind, spanKind } from "./span-kind.ts";

/** A row of the waterfall. Parents precede their children, siblings are ordered by time. */
export interface TraceLine {
  span: ReportedSpan;
  depth: number;
  children: number;
  durationMs: number;
  /** Time in which none of its children ran. */
  selfMs: number;
  kind: SpanKind;
  isFailed: boolean;
  /** Whether the trace would have ended earlier if this span had been faster. */
  onCriticalPath: boolean;
  /** Its own part of the critical path: the times in which the trace waited for it and for none of its children. */
  waits: readonly TimeRange[];
  /** Its parent never arrived. Shown at the top level. */
  isOrphan: boolean;
}

export interface TimeRange {
  fromMs: number;
  toMs: number;
}

export interface AssembledTrace {
  lines: readonly TraceLine[];
  startMs: number;
  endMs: number;
}

interface Node {
  span: ReportedSpan;
  children: Node[];
  isCritical: boolean;
  waits: TimeRange[];
}

/** Builds the tree from spans in any order. Accepts missing parents, duplicate ids and cycles. */
export function assembleTrace(spans: readonly ReportedSpan[]): AssembledTrace {
  const nodes = new Map<string, Node>();
  for (const span of spans)
    if (!nodes.has(span.spanId)) nodes.set(span.spanId, { span, children: [], isCritical: false, waits: [] });
  const roots: Node[] = [];
  const inCircle = nodesInCircles(nodes);
  for (const node of nodes.values()) {
    const parent = node.span.parentSpanId === undefined ? undefined : nodes.get(node.span.parentSpanId);
    if (parent === undefined || inCircle.has(node)) roots.push(node);
    else parent.children.push(node);
  }
  const byStart = (a: Node, b: Node): number => a.span.startMs - b.span.startMs || b.span.endMs - a.span.endMs;
  roots.sort(byStart);
  for (const node of nodes.values()) node.children.sort(byStart);
  const latest = roots.reduce<Node | undefined>(
    (last, root) => (last && last.span.endMs >= root.span.endMs ? last : root),
    undefined,
  );
  if (latest) markCriticalPath(latest);
  return {
    lines: linesOf(roots),
    startMs: roots.reduce((first, { span }) => Math.min(first, span.startMs), Number.POSITIVE_INFINITY),
    endMs: [...nodes.values()].reduce((last, { span }) => Math.max(last, span.endMs), Number.NEGATIVE_INFINITY),
  };
}

/** Finds the nodes whose ancestors form a cycle, which only broken or hostile clients send. Visits every node once. */
function nodesInCircles(nodes: ReadonlyMap<string, Node>): ReadonlySet<Node> {
  const inCircle = new Set<Node>();
  const settled = new Set<Node>();
  for (const start of nodes.values()) {
    const path = new Set<Node>();
    let at: Node | undefined = start;
    while (at !== undefined && !settled.has(at) && !path.has(at)) {
      path.add(at);
      at = at.span.parentSpanId === undefined ? undefined : nodes.get(at.span.parentSpanId);
    }
    const endsInCircle = at !== undefined && (path.has(at) || inCircle.has(at));
    for (const node of path) {
      settled.add(node);
      if (endsInCircle) inCircle.add(node);
    }
  }
  return inCircle;
}

/**
 * Walks backwards from the end: at every moment, the child that finished last is on the critical path. Where no child
 * is, the trace waits for the span itself. So the waits of all spans together are the critical path, without overlaps.
 */
function markCriticalPath(root: Node): void {
  const open = [{ node: root, from: root.span.startMs }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node } = next;
    node.isCritical = true;
    let moment = node.span.endMs;
    for (const child of node.children.toSorted((a, b) => b.span.endMs - a.span.endMs)) {
      // The clock of another machine may be late: a child that starts before its parent is waited for from there on.
      const from = Math.max(child.span.startMs, next.from);
      if (child.span.endMs > moment || from >= moment || child.span.endMs < from) continue;
      open.push({ node: child, from });
      addWait(node, child.span.endMs, moment);
      moment = from;
    }
    addWait(node, next.from, moment);
    node.waits.reverse();
  }
}

function addWait({ waits }: Node, fromMs: number, toMs: number): void {
  if (toMs > fromMs) waits.push({ fromMs, toMs });
}

/** A cancelled span is no failure: the visitor went on, or the first of several answers was taken. */
const endsWell: ReadonlySet<string> = new Set(["ok", "unset", "cancelled"]);

function linesOf(roots: readonly Node[]): TraceLine[] {
  const lines: TraceLine[] = [];
  const open = roots.map((node) => ({ node, depth: 0 })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    const { span, children } = node;
    lines.push({
      span,
      depth,
      children: children.length,
      durationMs: span.endMs - span.startMs,
      selfMs: selfTime(node),
      kind: spanKind(span),
      isFailed: !endsWell.has(span.status),
      onCriticalPath: node.isCritical,
      waits: node.waits,
      isOrphan: depth === 0 && span.parentSpanId !== undefined,
    });
    for (const child of children.toReversed()) open.push({ node: child, depth: depth + 1 });
  }
  return lines;
}

function selfTime({ span, children }: Node): number {
  let covered = 0;
  let upTo = span.startMs;
  for (const { span: child } of children) {
    const from = Math.max(upTo, child.startMs);
    const to = Math.min(span.endMs, child.endMs);
    if (to > from) covered += to - from;
    upTo = Math.max(upTo, to);
  }
  return span.endMs - span.startMs - covered;
}
