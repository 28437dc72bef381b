/** An untrusted address: a link if it is a web address, text otherwise. Nothing else can be clicked. */
export function OutsideLink({ address }: { address: string }) {
  if (!isWebAddress(address)) return <span className="breaks">{address}</span>;
  return (
    <a className="breaks" href={address} rel="noopener noreferrer nofollow" target="_blank">
      {address}
    </a>
  );
}

export function isWebAddress(address: string): boolean {
  return /^https?:\/\//i.test(address) && URL.canParse(address);
}
