/**
 * Reports in wire format, with the protocol's names. This part only writes them; the service reads them with
 * `#protocol`.
 */
export interface WireEvent {
  event_id: string;
  timestamp: number;
  platform: "node" | "javascript";
  level: "fatal" | "error" | "warning" | "info" | "debug";
  message?: string | undefined;
  logger?: string | undefined;
  transaction?: string | undefined;
  server_name?: string | undefined;
  release?: string | undefined;
  dist?: string | undefined;
  environment?: string | undefined;
  exception?: { values: WireException[] } | undefined;
  request?: WireRequest | undefined;
  user?: Readonly<Record<string, unknown>> | undefined;
  tags?: Record<string, string> | undefined;
  extra?: Record<string, unknown> | undefined;
  fingerprint?: readonly string[] | undefined;
  breadcrumbs?: readonly WireBreadcrumb[] | undefined;
  contexts?: Record<string, unknown> | undefined;
  debug_meta?: { images: { type: "sourcemap"; code_file: string; debug_id: string }[] } | undefined;
  sdk?: WireSdk | undefined;
}

export interface WireException {
  type?: string | undefined;
  value: string;
  mechanism: WireMechanism;
  stacktrace?: { frames: WireFrame[] } | undefined;
}

export interface WireMechanism {
  type: string;
  handled: boolean;
  synthetic?: boolean | undefined;
  source?: string | undefined;
  exception_id?: number | undefined;
  parent_id?: number | undefined;
  is_exception_group?: boolean | undefined;
}

export interface WireFrame {
  filename: string;
  function: string;
  module?: string | undefined;
  lineno?: number | undefined;
  colno?: number | undefined;
  in_app: boolean;
}

export interface WireRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A breadcrumb of an error. */
export interface WireBreadcrumb {
  timestamp: number;
  category: string;
  message: string;
  level?: "info" | "warning" | "error" | undefined;
  type?: string | undefined;
  data?: Readonly<Record<string, unknown>> | undefined;
}

export interface WireSdk {
  name: string;
  version: string;
}

export interface WireSpan {
  span_id: string;
  parent_span_id?: string | undefined;
  trace_id: string;
  op: string;
  description: string;
  start_timestamp: number;
  timestamp: number;
  status: string;
  origin: string;
  data?: Readonly<Record<string, unknown>> | undefined;
}
