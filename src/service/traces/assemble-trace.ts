import type { ReportedSpan } from "#protocol";

/** One line of the waterfall, parents before their children, siblings by time. */
export interface TraceLine {
  span: ReportedSpan;
  depth: number;
  children: number;
  durationMs: number;
  /** Time in which none of its children ran. */
  selfMs: number;
  /** Whether the trace would have ended earlier, had this span been quicker. */
  onCriticalPath: boolean;
  /** Its parent never arrived, or arrived nowhere near; shown at the top. */
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

/** Puts spans that came in any order into their tree. Survives missing parents, doubled ids and circles. */
export function assembleTrace(spans: readonly ReportedSpan[]): AssembledTrace {
  const nodes = new Map<string, Node>();
  for (const span of spans)
    if (!nodes.has(span.spanId)) nodes.set(span.spanId, { span, children: [], isCritical: false });
  const roots: Node[] = [];
  for (const node of nodes.values()) {
    const parent = node.span.parentSpanId === undefined ? undefined : nodes.get(node.span.parentSpanId);
    if (parent === undefined || isWithin(parent, node, nodes)) roots.push(node);
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
    startMs: Math.min(...roots.map(({ span }) => span.startMs)),
    endMs: Math.max(...[...nodes.values()].map(({ span }) => span.endMs)),
  };
}

/** Whether the parent hangs below its own child, as only broken or hostile clients say. */
function isWithin(parent: Node, node: Node, nodes: ReadonlyMap<string, Node>): boolean {
  let at: Node | undefined = parent;
  for (let steps = 0; at !== undefined && steps <= nodes.size; steps++) {
    if (at === node) return true;
    at = at.span.parentSpanId === undefined ? undefined : nodes.get(at.span.parentSpanId);
  }
  return at !== undefined;
}

/** From the end backwards: at every moment the child that finished last is what was waited for. */
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
