/**
 * The path below which the application lives, such as `/admin`. The build of an application with `at` replaces this
 * module, on both sides. For all others it is empty, and the bundler removes every branch that depends on it.
 */
export const applicationPath: string = "";
