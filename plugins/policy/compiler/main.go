// Command compiler checks, formats, tests, evaluates and compiles Rego. It is built as a WASI reactor: the host writes a
// JSON request into memory, calls `call`, and reads the JSON answer. It has no files, no network and no clock of its own.
package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/open-policy-agent/opa/v1/util"
)

func main() {}

// Buffers the host may write to or read from; held here so that they are not collected.
var held = map[uint32][]byte{}

//go:wasmexport alloc
func alloc(size uint32) uint32 {
	buffer := make([]byte, max(size, 1))
	pointer := uint32(uintptr(unsafe.Pointer(&buffer[0])))
	held[pointer] = buffer
	return pointer
}

//go:wasmexport release
func release(pointer uint32) {
	delete(held, pointer)
}

// call answers pointer<<32 | length of the JSON answer; the host releases it.
//
//go:wasmexport call
func call(pointer, size uint32) uint64 {
	answer := answerOf(held[pointer][:size])
	out := alloc(uint32(len(answer)))
	copy(held[out], answer)
	return uint64(out)<<32 | uint64(len(answer))
}

// Panics of the library become an answer: the request is at fault, the instance lives on.
func answerOf(text []byte) (answer []byte) {
	defer func() {
		if fault := recover(); fault != nil {
			answer = failure(fmt.Sprintf("the compiler failed: %v\n%s", fault, debug.Stack()))
		}
	}()
	var asked request
	if err := util.UnmarshalJSON(text, &asked); err != nil {
		return failure(err.Error())
	}
	operation, known := operations[asked.Op]
	if !known {
		return failure("unknown operation " + asked.Op)
	}
	result, err := operation(&asked)
	if err != nil {
		return failure(err.Error())
	}
	encoded, err := json.Marshal(map[string]any{"result": result})
	if err != nil {
		return failure(err.Error())
	}
	return encoded
}

func failure(message string) []byte {
	encoded, _ := json.Marshal(map[string]any{"error": message})
	return encoded
}

var operations = map[string]func(*request) (any, error){
	"info":   info,
	"build":  build,
	"format": formatFiles,
	"eval":   evaluate,
	"query":  compileQuery,
	"pairs":  evaluatePairs,
}

type file struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Source string `json:"source"`
	Test   bool   `json:"test"`
}

// request holds the members of all operations; each reads its own.
type request struct {
	Op       string           `json:"op"`
	Files    []file           `json:"files"`
	Data     map[string]any   `json:"data"`
	Actions  []string         `json:"actions"`
	Schemas  map[string]any   `json:"schemas"`
	Builtins []string         `json:"builtins"`
	Tests    bool             `json:"tests"`
	Wasm     bool             `json:"wasm"`
	Coverage bool             `json:"coverage"`
	Smoke    map[string][]any `json:"smoke"`
	Action   string           `json:"action"`
	Input    any              `json:"input"`
	Inputs   []any            `json:"inputs"`
	Explain  bool             `json:"explain"`
	Strict   bool             `json:"strict"`
	Query    string           `json:"query"`
	Modules  []string         `json:"modules"`
	// Absent: nobody can be asked.
	Approvers *approvers `json:"approvers"`
}
