/**
 * Whether the application is a folder of files without a server of Holdfast. `holdfast build --static` replaces this
 * module. For all others it is false, and the bundler removes every branch that depends on it.
 */
export const isStatic: boolean = false;
