/** Address of a project: where to send its reports, and the public key for it. */
export interface Dsn {
  readonly protocol: "http" | "https";
  readonly publicKey: string;
  readonly host: string;
  readonly port?: number;
  /** Folder before `/api`, without a trailing slash; empty at the root. */
  readonly path: string;
  /** Clients require digits. */
  readonly project: string;
}

export function readDsn(text: string): Dsn | undefined {
  if (text.length > 1_024 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const protocol = url.protocol === "https:" ? "https" : url.protocol === "http:" ? "http" : undefined;
  const slash = url.pathname.lastIndexOf("/");
  const project = url.pathname.slice(slash + 1);
  if (protocol === undefined || !/^\w+$/.test(url.username) || !/^\d+$/.test(project)) return undefined;
  const dsn = {
    protocol,
    publicKey: url.username,
    host: url.hostname,
    path: url.pathname.slice(0, slash),
    project,
  } as const;
  return url.port === "" ? dsn : { ...dsn, port: Number(url.port) };
}

export function writeDsn(dsn: Dsn): string {
  const port = dsn.port === undefined ? "" : `:${dsn.port}`;
  return `${dsn.protocol}://${dsn.publicKey}@${dsn.host}${port}${dsn.path}/${dsn.project}`;
}

/** Returns the address that receives envelopes of this project. */
export function envelopeUrl(dsn: Dsn): string {
  const port = dsn.port === undefined ? "" : `:${dsn.port}`;
  return `${dsn.protocol}://${dsn.host}${port}${dsn.path}/api/${dsn.project}/envelope/`;
}
