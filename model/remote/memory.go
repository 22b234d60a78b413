package remote

import (
	"container/list"
	"sync"
)

// memory caches the most recently used blocks of all files: what is read ahead, and as much that was read since it was requested.
var memory = &blocks{most: 112 << 20, have: map[key]*list.Element{}, order: list.New()}

type key struct {
	of    *file
	block int64
}

type kept struct {
	key
	data []byte
}

type blocks struct {
	mu         sync.Mutex
	most, size int64
	have       map[key]*list.Element
	order      *list.List // the last used first
}

func (m *blocks) get(f *file, b int64) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.have[key{f, b}]
	if e == nil {
		return nil
	}
	m.order.MoveToFront(e)
	return e.Value.(kept).data
}

func (m *blocks) has(f *file, b int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.have[key{f, b}] != nil
}

func (m *blocks) put(f *file, b int64, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.have[key{f, b}] != nil {
		return
	}
	m.have[key{f, b}] = m.order.PushFront(kept{key{f, b}, data})
	for m.size += int64(len(data)); m.size > m.most; {
		m.remove(m.order.Back())
	}
}

func (m *blocks) remove(e *list.Element) {
	x := m.order.Remove(e).(kept)
	delete(m.have, x.key)
	m.size -= int64(len(x.data))
}
