package connect

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// setYAML sets keys of the whole file. Comments stay; spaces may change.
func setYAML(old []byte, fields ...field) ([]byte, error) {
	return editYAML(old, func(root *yaml.Node) error {
		for _, f := range fields {
			setNode(root, f.name, text(f.value))
		}
		return nil
	})
}

// setYAMLItem puts an item into a list, in place of the one with the same first field.
func setYAMLItem(old []byte, list string, fields []field) ([]byte, error) {
	return editYAML(old, func(root *yaml.Node) error {
		items := getNode(root, list)
		if items == nil {
			items = &yaml.Node{Kind: yaml.SequenceNode}
			setNode(root, list, items)
		}
		if items.Kind != yaml.SequenceNode {
			return ErrTooUnusual
		}
		fresh := &yaml.Node{Kind: yaml.MappingNode}
		for _, f := range fields {
			setNode(fresh, f.name, text(f.value))
		}
		for i, item := range items.Content {
			if name := getNode(item, fields[0].name); name != nil && name.Value == fields[0].value {
				items.Content[i] = fresh
				return nil
			}
		}
		items.Content = append(items.Content, fresh)
		return nil
	})
}

func editYAML(old []byte, edit func(root *yaml.Node) error) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(old, &doc); err != nil {
		return nil, ErrTooUnusual
	}
	if len(doc.Content) == 0 {
		doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, ErrTooUnusual
	}
	if err := edit(doc.Content[0]); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return nil, fmt.Errorf("encode YAML: %w", err)
	}
	return out.Bytes(), enc.Close()
}

func text(value any) *yaml.Node {
	n := &yaml.Node{}
	if inner, ok := value.(map[string]string); ok {
		n.Kind = yaml.MappingNode
		for _, key := range slices.Sorted(maps.Keys(inner)) {
			setNode(n, key, text(inner[key]))
		}
		return n
	}
	n.SetString(fmt.Sprint(value))
	return n
}

func getNode(mapping *yaml.Node, key string) *yaml.Node {
	if mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

func setNode(mapping *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, text(key), value)
}
