// The token that forms send along. After signing in again in another tab there is a new one.

// Fetches this page again and returns its token; `read` finds it. Without an answer it is the one given.
export async function renewedToken(token, read) {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!response?.ok) return token;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return read(page) || token;
}

export const SIGNED_OUT = "You may have been signed out. Sign in again in another tab.";
