/**
 * The getters of a class, to define on each of its objects, so that `({ input, ...rest })` copies them all. All objects
 * share the class's getters: with new getters V8 would give every object its own hidden class, and a server under load
 * would need 350 MB instead of 210.
 */
export class OwnGetters {
  readonly #getters: readonly (readonly [string, PropertyDescriptor])[];

  constructor(prototype: object) {
    this.#getters = Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { get }]) =>
      get ? [[name, { get, enumerable: true }] as const] : [],
    );
  }

  defineOn<Target extends object>(target: Target): Target {
    for (const [name, getter] of this.#getters) Object.defineProperty(target, name, getter);
    return target;
  }
}
