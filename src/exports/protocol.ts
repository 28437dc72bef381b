/**
 * `holdfast/protocol`: the Sentry wire format, read and written.
 * @module
 */
export {};
