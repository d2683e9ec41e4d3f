package suite

import (
	"fmt"

	"example.com/suite/dev"
)

var history []*dev.Mem

func Wrong201Global(n int) int {
	m := dev.Must(n)
	history = append(history, m)
	return m.Bytes()
}

func Right201Global(n int) int {
	m := dev.Must(n)
	history = append(history, m)
	if len(history) > 2 {
		history[0].Free()
		history = history[1:]
	}
	return m.Bytes()
}

func clearHistory() {
	for _, m := range history {
		m.Free()
	}
	history = nil
}

type cache struct{ byKey map[string]*dev.Mem }

func (c *cache) put(key string, n int) { c.byKey[key] = dev.Must(n) }

func (c *cache) Wrong202Evict(key string) { delete(c.byKey, key) }

func (c *cache) Right202Evict(key string) {
	if m, ok := c.byKey[key]; ok {
		m.Free()
		delete(c.byKey, key)
	}
}

func (c *cache) Close() {
	for key, m := range c.byKey {
		m.Free()
		delete(c.byKey, key)
	}
}

type server struct {
	shapes map[string]*dev.Mem
	steps  []*dev.Mem
}

func (s *server) Close() {
	for _, m := range s.shapes {
		m.Free()
	}
	for _, m := range s.steps {
		m.Free()
	}
}

func (s *server) Wrong203Request(id int) int {
	key := fmt.Sprintf("request-%d", id)
	m, ok := s.shapes[key]
	if !ok {
		m = dev.Must(id)
		s.shapes[key] = m
	}
	return m.Bytes()
}

func (s *server) Right203Request(id int) int {
	key := fmt.Sprintf("request-%d", id)
	m, ok := s.shapes[key]
	if !ok {
		m = dev.Must(id)
		for old, m := range s.shapes {
			m.Free()
			delete(s.shapes, old)
		}
		s.shapes[key] = m
	}
	return m.Bytes()
}
