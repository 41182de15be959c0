package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// approvers says which asks a policy may make: the groups with their sizes, and the codes that the engine itself uses.
type approvers struct {
	Groups   map[string]int `json:"groups"`
	Reserved []string       `json:"reserved"`
}

const (
	askFault     = "wrong_ask"
	askForm      = `write: ask contains {"code": "…", "message": "…", "approvers": "<group>"} if …`
	leastExpiry  = 60
	mostExpiry   = 7 * 24 * 3600
	longestAsked = 500
	// How many locals are followed to what an ask is made of.
	mostLocals = 20
)

var askCode = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

var askMembers = []string{"code", "message", "approvers", "of", "expires_s", "bind"}

// ask refuses what can be known of an ask without an evaluation; the evaluator checks the rest, and denies.
func (result *parsed) ask(found *policy, rule *ast.Rule) {
	if found.Action != "" && found.Action != "execute" {
		result.at(rule.Location, askFault, "only runs can wait for an approval, and the package "+found.Package+" decides about another action",
			"put the ask into orb.execute or orb.policies.<name>, or write a deny")
		return
	}
	if result.approvers == nil {
		result.at(rule.Location, askFault, "the plugin approvals is not enabled, so there is nobody to ask",
			"enable it and name a group under plugins.approvals.config.groups in platform.json")
		return
	}
	key := boundIn(rule.Body, rule.Head.Key)
	if !found.Fallible {
		result.mayVanish(key, rule.Body, mostLocals)
	}
	switch value := key.Value.(type) {
	case ast.Object:
		result.askObject(found, key, value)
	case ast.Var, ast.Ref, ast.Call, *ast.ObjectComprehension:
	default:
		result.at(key.Location, askFault, "an ask must be an object", askForm)
	}
}

// boundIn answers what a body assigns to a local, or the term itself.
func boundIn(body ast.Body, term *ast.Term) *ast.Term {
	local, is := term.Value.(ast.Var)
	for _, expr := range body {
		if !is || !expr.IsAssignment() && !expr.IsEquality() {
			continue
		}
		if name, named := expr.Operand(0).Value.(ast.Var); named && name.Equal(local) {
			return expr.Operand(1)
		}
	}
	return term
}

// mayVanish refuses a value that can be undefined, also behind a local: the ask would vanish, and the run would go ahead. A
// template string is always defined.
func (result *parsed) mayVanish(term *ast.Term, body ast.Body, locals int) {
	told := false
	ast.NewGenericVisitor(func(x any) bool {
		one, is := x.(*ast.Term)
		if !is || told {
			return told
		}
		switch value := one.Value.(type) {
		case *ast.TemplateString:
			return true
		case ast.Var:
			if bound := boundIn(body, one); bound != one && locals > 0 {
				result.mayVanish(bound, body, locals-1)
			}
		case ast.Call:
			told = true
		case ast.Ref:
			told = value[0].Equal(ast.InputRootDocument) || value[0].Equal(ast.DefaultRootDocument) && !result.inData(value)
		}
		if told {
			result.at(one.Location, "undefined_ask", "this value can be undefined, and then the run would not be asked about",
				`write it into a template string: $"… {value}"; or accept it for this file: METADATA custom.fallible: accepted`)
		}
		return told
	}).Walk(term)
}

// inData says whether a data file has the value of a reference.
func (result *parsed) inData(ref ast.Ref) bool {
	var at any = result.data
	for _, term := range ref[1:] {
		members, object := at.(map[string]any)
		step, constant := term.Value.(ast.String)
		if !object || !constant {
			return false
		}
		if at, object = members[string(step)]; !object {
			return false
		}
	}
	return true
}

func (result *parsed) askObject(found *policy, term *ast.Term, object ast.Object) {
	values := map[string]*ast.Term{}
	object.Foreach(func(key, value *ast.Term) {
		name, is := key.Value.(ast.String)
		if is && slices.Contains(askMembers, string(name)) {
			values[string(name)] = value
		} else if is || ast.IsConstant(key.Value) {
			result.at(key.Location, askFault, "an ask has no member "+key.String(), "an ask has the members "+strings.Join(askMembers, ", "))
		}
	})
	for _, name := range askMembers[:3] {
		if values[name] == nil {
			result.at(term.Location, askFault, "the ask has no "+name, askForm)
		}
	}
	people := result.askGroup(found, values["approvers"])
	result.askText(values["code"], "code", func(text string) string {
		if !askCode.MatchString(text) {
			return "the code must be lower-case letters, digits and underscores, at most 64, a letter first"
		}
		if slices.Contains(result.approvers.Reserved, text) {
			return "the code " + text + " has a meaning of its own"
		}
		return ""
	})
	result.askText(values["message"], "message", func(text string) string {
		if length := len([]rune(text)); length < 1 || length > longestAsked {
			return fmt.Sprintf("the message must have 1 to %d characters", longestAsked)
		}
		return ""
	})
	result.askText(values["bind"], "bind", func(text string) string {
		if text != "inputs" && text != "provider" {
			return "bind must be inputs or provider"
		}
		return ""
	})
	result.askNumber(values["expires_s"], "expires_s", leastExpiry, mostExpiry)
	result.askNumber(values["of"], "of", 1, people)
}

// askGroup answers how many people the group has; of a group that is not known here, as many as there could be.
func (result *parsed) askGroup(found *policy, term *ast.Term) int {
	people := int(^uint32(0) >> 1)
	result.askText(term, "approvers", func(text string) string {
		size, known := result.approvers.Groups[text]
		if !known {
			return "there is no group " + text + " in plugins.approvals.config.groups"
		}
		people = size
		if !slices.Contains(found.Approvers, text) {
			found.Approvers = append(found.Approvers, text)
		}
		return ""
	})
	return people
}

func (result *parsed) askText(term *ast.Term, name string, faultOf func(string) string) {
	if term == nil || !ast.IsConstant(term.Value) {
		return
	}
	text, is := term.Value.(ast.String)
	fault := name + " must be a text"
	if is {
		fault = faultOf(string(text))
	}
	if fault != "" {
		result.at(term.Location, askFault, fault, "")
	}
}

func (result *parsed) askNumber(term *ast.Term, name string, least, most int) {
	if term == nil || !ast.IsConstant(term.Value) {
		return
	}
	number, is := term.Value.(ast.Number)
	value, whole := 0, false
	if is {
		value, whole = number.Int()
	}
	if !whole || value < least || value > most {
		result.at(term.Location, askFault, fmt.Sprintf("%s must be a whole number from %d to %d", name, least, most), "")
	}
}
