// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pickle

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// List is a list or a tuple. It is handed out as a pointer, so that two places
// that share one list in the file share it in memory too.
type List struct{ Items []any }

// Dict is a dictionary; integer keys are kept as their decimal text.
type Dict map[string]any

// mark is what MARK leaves on the stack.
type mark struct{}

// Read decodes one pickle: nil, bool, int64, float64, string, *List and Dict.
// Anything else in the file, a class, a call, a number that does not fit in 64
// bits, is an error that names the opcode and its offset. Lists and
// dictionaries that are shared in the file are shared in the result, and a
// hostile file can make one contain itself, so walk it by schema.
func Read(data []byte) (any, error) {
	m := &machine{data: data}
	if len(data) < 2 || data[0] != opProto {
		return nil, fmt.Errorf("not a pickle: it does not begin with a protocol number")
	}
	for {
		v, done, err := m.step()
		if err != nil {
			return nil, err
		}
		if done {
			return v, nil
		}
	}
}

type machine struct {
	data  []byte
	pos   int
	stack []any
	memo  map[uint32]any
}

func (m *machine) fail(at int, format string, args ...any) error {
	return fmt.Errorf("broken pickle at byte %d: %s", at, fmt.Sprintf(format, args...))
}

// take returns the next n bytes.
func (m *machine) take(n int) ([]byte, error) {
	if n < 0 || n > len(m.data)-m.pos {
		return nil, m.fail(m.pos, "%d more bytes are needed and the file has %d", n, len(m.data)-m.pos)
	}
	b := m.data[m.pos : m.pos+n]
	m.pos += n
	return b, nil
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

// pop removes the top value; a mark there means that an opcode has no operand.
func (m *machine) pop(at int) (any, error) {
	if len(m.stack) == 0 {
		return nil, m.fail(at, "the operation has nothing to work on")
	}
	v := m.stack[len(m.stack)-1]
	if _, isMark := v.(mark); isMark {
		return nil, m.fail(at, "the operation has nothing to work on")
	}
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

// popToMark removes everything above the last mark, and the mark.
func (m *machine) popToMark(at int) ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(mark); ok {
			items := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, m.fail(at, "no mark to collect items from")
}

func (m *machine) top(at int) (any, error) {
	if len(m.stack) == 0 {
		return nil, m.fail(at, "the operation has nothing to work on")
	}
	return m.stack[len(m.stack)-1], nil
}

// step runs one opcode; done says that it was STOP, with the value.
func (m *machine) step() (v any, done bool, err error) {
	at := m.pos
	b, err := m.take(1)
	if err != nil {
		return nil, false, err
	}
	switch op := b[0]; op {
	case opStop:
		v, err := m.pop(at)
		return v, err == nil, err
	case opProto:
		return nil, false, m.proto(at)
	case opFrame:
		_, err := m.take(8) // a hint for buffered readers; the data is all here
		return nil, false, err
	case opMark:
		m.push(mark{})
	case opNone:
		m.push(nil)
	case opTrue:
		m.push(true)
	case opFalse:
		m.push(false)
	case opInt1, opInt2, opInt4, opLong1, opFloat:
		return nil, false, m.number(op, at)
	case opUnicode1, opUnicode4:
		return nil, false, m.text(op, at)
	case opEmptyList, opEmptyTuple:
		m.push(&List{})
	case opEmptyDict:
		m.push(Dict{})
	case opList, opTuple:
		items, err := m.popToMark(at)
		if err != nil {
			return nil, false, err
		}
		m.push(&List{Items: items})
	case opTuple1, opTuple2, opTuple3:
		return nil, false, m.tuple(int(op)-opTuple1+1, at)
	case opDict, opSetItem, opSetItems, opAppend, opAppends:
		return nil, false, m.fill(op, at)
	case opBinPut, opLongBinPut, opMemoize, opBinGet, opLongBinGet:
		return nil, false, m.remember(op, at)
	default:
		return nil, false, m.fail(at, "opcode 0x%02x is not plain data; such files are not opened because they can run code", op)
	}
	return nil, false, nil
}

func (m *machine) proto(at int) error {
	b, err := m.take(1)
	if err != nil {
		return err
	}
	if b[0] < oldestProtocol || b[0] > newestProtocol {
		return m.fail(at, "protocol %d, and only %d to %d are read", b[0], oldestProtocol, newestProtocol)
	}
	return nil
}

func (m *machine) number(op byte, at int) error {
	size := map[byte]int{opInt1: 1, opInt2: 2, opInt4: 4, opLong1: 1, opFloat: 8}[op]
	b, err := m.take(size)
	if err != nil {
		return err
	}
	switch op {
	case opInt1:
		m.push(int64(b[0]))
	case opInt2:
		m.push(int64(binary.LittleEndian.Uint16(b)))
	case opInt4:
		m.push(int64(int32(binary.LittleEndian.Uint32(b))))
	case opFloat:
		m.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
	case opLong1:
		return m.long(int(b[0]), at)
	}
	return nil
}

// long reads a two's complement number of n bytes.
func (m *machine) long(n, at int) error {
	b, err := m.take(n)
	if err != nil {
		return err
	}
	if n > 8 {
		return m.fail(at, "a number of %d bytes does not fit in 64 bits", n)
	}
	var v uint64
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	if n > 0 && n < 8 && b[n-1]&0x80 != 0 {
		v |= ^uint64(0) << (8 * n)
	}
	m.push(int64(v))
	return nil
}

func (m *machine) text(op byte, at int) error {
	size := 1
	if op == opUnicode4 {
		size = 4
	}
	b, err := m.take(size)
	if err != nil {
		return err
	}
	n := int(b[0])
	if op == opUnicode4 {
		n = int(binary.LittleEndian.Uint32(b))
	}
	s, err := m.take(n)
	if err != nil {
		return err
	}
	if !utf8.Valid(s) {
		return m.fail(at, "a string is not UTF-8")
	}
	m.push(string(s))
	return nil
}

func (m *machine) tuple(n, at int) error {
	items := make([]any, n)
	for i := n - 1; i >= 0; i-- {
		v, err := m.pop(at)
		if err != nil {
			return err
		}
		items[i] = v
	}
	m.push(&List{Items: items})
	return nil
}

// fill runs the opcodes that put items into a list or dictionary.
func (m *machine) fill(op byte, at int) error {
	var items []any
	var err error
	switch op {
	case opDict, opSetItems, opAppends:
		items, err = m.popToMark(at)
	case opAppend, opSetItem:
		n := 1
		if op == opSetItem {
			n = 2
		}
		items = make([]any, n)
		for i := n - 1; i >= 0 && err == nil; i-- {
			items[i], err = m.pop(at)
		}
	}
	if err != nil {
		return err
	}
	if op == opDict {
		m.push(Dict{})
	}
	target, err := m.top(at)
	if err != nil {
		return err
	}
	switch target := target.(type) {
	case *List:
		if op != opAppend && op != opAppends {
			return m.fail(at, "a list is filled with dictionary items")
		}
		target.Items = append(target.Items, items...)
	case Dict:
		if op == opAppend || op == opAppends || len(items)%2 != 0 {
			return m.fail(at, "a dictionary is filled with something else than pairs")
		}
		for i := 0; i < len(items); i += 2 {
			key, err := keyText(items[i])
			if err != nil {
				return m.fail(at, "%v", err)
			}
			target[key] = items[i+1]
		}
	default:
		return m.fail(at, "items are put into a %T", target)
	}
	return nil
}

func keyText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	}
	return "", fmt.Errorf("a dictionary key is a %T, not a string or an integer", v)
}

// remember runs the opcodes of the memo.
func (m *machine) remember(op byte, at int) error {
	slot := uint32(len(m.memo)) // what MEMOIZE means
	if op != opMemoize {
		size := 1
		if op == opLongBinPut || op == opLongBinGet {
			size = 4
		}
		b, err := m.take(size)
		if err != nil {
			return err
		}
		slot = uint32(b[0])
		if size == 4 {
			slot = binary.LittleEndian.Uint32(b)
		}
	}
	if op == opBinGet || op == opLongBinGet {
		v, ok := m.memo[slot]
		if !ok {
			return m.fail(at, "a reference to slot %d, which holds nothing", slot)
		}
		m.push(v)
		return nil
	}
	v, err := m.top(at)
	if err != nil {
		return err
	}
	if _, isMark := v.(mark); isMark {
		return m.fail(at, "the operation has nothing to work on")
	}
	if m.memo == nil {
		m.memo = map[uint32]any{}
	}
	m.memo[slot] = v
	return nil
}
