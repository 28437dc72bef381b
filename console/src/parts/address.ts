import { usePage } from "holdfast";

/** Returns the address of this screen with some of its settings changed or removed. */
export function useAddress(): (change: Readonly<Record<string, string | undefined>>) => string {
  const { path, search } = usePage();
  return (change) => {
    const params = new URLSearchParams(search);
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) params.delete(name);
      else params.set(name, value);
    }
    return params.size > 0 ? `${path}?${params}` : path;
  };
}
