/**
 * `holdfast/service`: the error service on its own, for hosts that embed it without the framework.
 * @module
 */
export {};
