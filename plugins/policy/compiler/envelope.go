package main

import "github.com/open-policy-agent/opa/v1/ast"

// leavesOut says whether a value of a schema can lack a path. What lies below an untyped object always can.
func leavesOut(schema any, path ast.Ref) bool {
	if len(path) == 0 {
		return false
	}
	shape, _ := schema.(map[string]any)
	if items, is := shape["items"]; is {
		// A number names one element; anything else looks at those that are there.
		_, number := path[0].Value.(ast.Number)
		return number || leavesOut(items, path[1:])
	}
	name, constant := path[0].Value.(ast.String)
	members, _ := shape["properties"].(map[string]any)
	if member, known := members[string(name)]; constant && known {
		return !requires(shape, string(name)) || leavesOut(member, path[1:])
	}
	return true
}

// allows says whether a value of a schema can have a path at all.
func allows(schema any, path ast.Ref) bool {
	shape, _ := schema.(map[string]any)
	if len(path) == 0 {
		return true
	}
	if items, is := shape["items"]; is {
		return allows(items, path[1:])
	}
	members, typed := shape["properties"].(map[string]any)
	name, constant := path[0].Value.(ast.String)
	if !typed || !constant {
		return true
	}
	member, known := members[string(name)]
	return known && allows(member, path[1:])
}

func requires(shape map[string]any, name string) bool {
	list, _ := shape["required"].([]any)
	for _, one := range list {
		if one == name {
			return true
		}
	}
	return false
}
