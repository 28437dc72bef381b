export type Level = "fatal" | "error" | "warning" | "info" | "debug";

/** Details that an application adds to an error. */
export interface About {
  tags?: Readonly<Record<string, string>>;
  extra?: Readonly<Record<string, unknown>>;
}

export interface User {
  id?: string;
  email?: string;
  name?: string;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;
