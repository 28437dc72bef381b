import { type ProtocolLimits, protocolLimits } from "#protocol";

export interface AcceptLimits {
  protocol: ProtocolLimits;
  /** A request's body as it comes over the line. */
  compressedBytes: number;
  /** The same body unpacked. Unpacking stops here, so that a small bomb costs little. */
  inflatedBytes: number;
  /** The unpacked bodies of all requests under way, together: leaves most of a small machine's memory to others. */
  underWayBytes: number;
  /** What is read and thrown away after a refusal, so that the sender gets to see why; beyond it the connection is cut. */
  discardedBytes: number;
  /** Requests of one project, looked at before anything of them is read: what one core can answer, halved. */
  requestsPerSecond: number;
  requestBurst: number;
  /** Items of one category and project: about a quarter of what one core can file, so that no project crowds out the others. */
  itemsPerSecond: number;
  itemBurst: number;
  /** Files beside events may be large and may hold anything; whoever wants them switches them on. */
  keepAttachments: boolean;
  keepReplays: boolean;
  /** Of transactions, spans, logs and metrics, the share that is still taken when the journal is half full. */
  shareUnderPressure: number;
  /** The longest time a client is asked to stay away; longer ones are not kept by clients. */
  backOffSeconds: number;
}

export const acceptLimits: AcceptLimits = {
  protocol: protocolLimits,
  compressedBytes: 20_971_520,
  inflatedBytes: 104_857_600,
  underWayBytes: 134_217_728,
  discardedBytes: 67_108_864,
  requestsPerSecond: 5_000,
  requestBurst: 20_000,
  itemsPerSecond: 1_000,
  itemBurst: 10_000,
  keepAttachments: false,
  keepReplays: false,
  shareUnderPressure: 0.1,
  backOffSeconds: 60,
};
