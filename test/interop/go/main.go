// Checks what the log publishes with libraries of others: golang.org/x/mod/sumdb/note and …/tlog. It knows nothing of
// this program: a checkpoint is opened with the vkey, an entry is proved by tlog.CheckRecord, growth by tlog.CheckTree.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// What is to be checked, all as the server answered it.
type input struct {
	Vkey        string `json:"vkey"`
	Checkpoint  string `json:"checkpoint"`
	ProofFile   string `json:"proof_file"`
	Entry       string `json:"entry"`
	Consistency struct {
		From     int64    `json:"from"`
		To       int64    `json:"to"`
		FromRoot string   `json:"from_root"`
		ToRoot   string   `json:"to_root"`
		Hashes   []string `json:"hashes"`
	} `json:"consistency"`
}

func main() {
	var in input
	must(json.NewDecoder(os.Stdin).Decode(&in))
	verifier, err := note.NewVerifier(strings.TrimSpace(in.Vkey))
	must(err)
	size, root := open(in.Checkpoint, verifier)
	lines, checkpoint, found := strings.Cut(in.ProofFile, "\n\n")
	if !found || checkpoint != in.Checkpoint {
		fail("the proof file holds another checkpoint")
	}
	record(strings.Split(lines, "\n"), in.Entry, size, root)
	c := in.Consistency
	must(tlog.CheckTree(hashes(c.Hashes), c.To, hash(c.ToRoot), c.From, hash(c.FromRoot)))
	if c.To != size || hash(c.ToRoot) != root {
		fail("the consistency proof ends in another tree")
	}
	fmt.Printf("OK %s %d\n", verifier.Name(), size)
}

// Opens a checkpoint and reads its size and root.
func open(text string, verifier note.Verifier) (int64, tlog.Hash) {
	opened, err := note.Open([]byte(text), note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	if lines[0] != verifier.Name() {
		fail("the checkpoint is of another log")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	return size, hash(lines[2])
}

// Proves that an entry is in the tree, as the lines of a proof file say.
func record(lines []string, entry string, size int64, root tlog.Hash) {
	if lines[0] != "c2sp.org/tlog-proof@v1" {
		fail("not a proof file")
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	must(err)
	data, err := base64.StdEncoding.DecodeString(entry)
	must(err)
	must(tlog.CheckRecord(hashes(lines[2:]), size, root, index, tlog.RecordHash(data)))
}

func hashes(texts []string) []tlog.Hash {
	var list []tlog.Hash
	for _, text := range texts {
		list = append(list, hash(text))
	}
	return list
}

func hash(text string) tlog.Hash {
	parsed, err := tlog.ParseHash(text)
	must(err)
	return parsed
}

func must(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}
