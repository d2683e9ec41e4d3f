// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package pickle writes and reads the small part of Python's pickle format
// that PyTorch's memory viewer understands.
//
// The writer emits protocol 4, because the viewers people host refuse
// protocol 5, and never puts more than 1,000 items into one list operation,
// because the viewer spreads them as call arguments. The reader is a stack
// machine over plain data: it knows no opcode that imports or calls anything,
// so opening a file from a stranger cannot run code. Both work on streams of
// numbers, strings, lists, tuples and dictionaries with string keys; nothing
// else exists here.
package pickle

// The opcodes that both directions know, by their names in Python's pickletools.
const (
	opMark           = '('
	opStop           = '.'
	opNone           = 'N'
	opTrue           = 0x88
	opFalse          = 0x89
	opInt4           = 'J'
	opInt1           = 'K'
	opInt2           = 'M'
	opLong1          = 0x8a
	opFloat          = 'G'
	opUnicode4       = 'X'
	opUnicode1       = 0x8c
	opEmptyDict      = '}'
	opDict           = 'd'
	opSetItem        = 's'
	opSetItems       = 'u'
	opEmptyList      = ']'
	opList           = 'l'
	opAppend         = 'a'
	opAppends        = 'e'
	opEmptyTuple     = ')'
	opTuple          = 't'
	opTuple1         = 0x85
	opTuple2         = 0x86
	opTuple3         = 0x87
	opBinPut         = 'q'
	opLongBinPut     = 'r'
	opBinGet         = 'h'
	opLongBinGet     = 'j'
	opMemoize        = 0x94
	opFrame          = 0x95
	opProto          = 0x80
	maxBatch         = 1000 // items that one APPENDS may carry
	writtenProtocol  = 4
	newestProtocol   = 5 // read only: it changes nothing for plain data
	oldestProtocol   = 2
	maxStringToShare = 4096 // longer strings are not looked up in the memo
)
