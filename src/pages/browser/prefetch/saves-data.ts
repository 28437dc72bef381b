/** The visitor pays for each byte, or waits long for it. Not in the DOM types yet, and not in every browser. */
export function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData: boolean; effectiveType: string } };
  return !!connection && (connection.saveData || /2g/.test(connection.effectiveType));
}
