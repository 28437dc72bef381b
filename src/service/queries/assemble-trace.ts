import type { ReportedSpan } from "#protocol";

/** A row of the waterfall. Parents precede their children, siblings are ordered by time. */
export interface TraceLine {
  span: ReportedSpan;
  depth: number;
  children: number;
  durationMs: number;
  /** Time in which none of its children ran. */
  selfMs: number;
  /** Whether the trace would have ended earlier if this span had been faster. */
  onCriticalPath: boolean;
  /** Its parent never arrived. Shown at the top level. */
  isOrphan: boolean;
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
}

/** Builds the tree from spans in any order. Accepts missing parents, duplicate ids and cycles. */
export function assembleTrace(spans: readonly ReportedSpan[]): AssembledTrace {
  const nodes = new Map<string, Node>();
  for (const span of spans)
    if (!nodes.has(span.spanId)) nodes.set(span.spanId, { span, children: [], isCritical: false });
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

/** Walks backwards from the end: at every moment, the child that finished last is on the critical path. */
function markCriticalPath(root: Node): void {
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    node.isCritical = true;
    let moment = node.span.endMs;
    for (const child of node.children.toSorted((a, b) => b.span.endMs - a.span.endMs)) {
      if (child.span.endMs > moment || child.span.startMs >= moment) continue;
      open.push(child);
      moment = child.span.startMs;
    }
  }
}

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
      onCriticalPath: node.isCritical,
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
