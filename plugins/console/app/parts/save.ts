import { answered } from '../frame/api.ts';

// A plain link to the API would come without the header by which the session counts.

/** Saves bytes as a file of the reader. */
export function saveAs(bytes: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Reads a file of the API, and saves it by the name that the server gives it. Throws an ApiProblem. */
export async function saveFile(path: string, otherwise: string): Promise<void> {
  const answer = await answered({ path });
  const name = /filename="([\w.-]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
  saveAs(await answer.blob(), name ?? otherwise);
}
