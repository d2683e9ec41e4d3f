// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}/../../bugs/native
// #include "native.h"
import "C"

// brokerHandle is set up in steps, each of which is taken once.
type brokerHandle struct {
	b     *C.broker_t
	queue *C.broker_queue_t
	logs  chan string
	conf  brokerConf
}

// brokerConf owns a configuration until a broker has taken it.
type brokerConf struct {
	c     *C.broker_conf_t
	topic string
}

func newBroker(topic string, logs chan string) (*brokerHandle, error) {
	h := &brokerHandle{logs: logs}
	if err := h.conf.fill(topic); err != nil {
		return nil, err
	}
	h.b = C.broker_new(h.conf.c)
	if h.b == nil {
		C.broker_conf_destroy(h.conf.c)
		return nil, errFailed
	}
	h.conf.c = nil // it belongs to the broker now
	if logs != nil {
		h.setupLogQueue(logs)
	}
	return h, nil
}

// fill is called with an empty configuration.
func (c *brokerConf) fill(topic string) error {
	c.c = C.broker_conf_new()
	if c.c == nil {
		return errFailed
	}
	c.topic = topic
	return nil
}

// setupLogQueue is called once, on a fresh handle.
func (h *brokerHandle) setupLogQueue(logs chan string) {
	h.logs = logs
	h.queue = C.broker_queue_new(h.b)
	C.broker_set_log_queue(h.b, h.queue)
}

func (h *brokerHandle) Close() {
	if h.logs != nil {
		C.broker_queue_destroy(h.queue)
		close(h.logs)
	}
	C.broker_destroy(h.b)
}

// mockBroker has no configuration of its own.
type mockBroker struct {
	b    *C.broker_t
	mock *C.broker_mock_t
}

// Where the broker was made it has taken the configuration over, also if a
// later step fails.
func newMock(n int) (*mockBroker, error) {
	m := &mockBroker{}
	conf := C.broker_conf_new()
	m.b = C.broker_new(conf)
	if m.b == nil {
		C.broker_conf_destroy(conf)
		return nil, errFailed
	}
	m.mock = C.broker_mock_new(m.b, C.int(n))
	if m.mock == nil {
		C.broker_destroy(m.b)
		return nil, errFailed
	}
	return m, nil
}

func (m *mockBroker) Close() {
	C.broker_mock_destroy(m.mock)
	C.broker_destroy(m.b)
}
