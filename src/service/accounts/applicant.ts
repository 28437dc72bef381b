/** A visitor who wants to sign in, as far as the request identifies them. */
export interface Applicant {
  /** Network address of the client. */
  readonly address: string;
  /** What the browser calls itself. */
  readonly userAgent?: string | undefined;
  /** Secret of a browser in which someone has signed in before. */
  readonly device?: string | undefined;
  readonly session?: string | undefined;
}
