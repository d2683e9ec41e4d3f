// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package nvml is a signature-only stand-in for NVIDIA's management library
// binding of the same import path. As in the real one the API is a set of
// package variables of function type, and handles are interfaces.
package nvml

// Return is the library's status type.
type Return int32

const (
	SUCCESS                Return = 0
	ERROR_UNINITIALIZED    Return = 1
	ERROR_INVALID_ARGUMENT Return = 2
	ERROR_NOT_SUPPORTED    Return = 3
	ERROR_TIMEOUT          Return = 10
	ERROR_UNKNOWN          Return = 999
)

func (r Return) String() string { return "" }
func (r Return) Error() string  { return "" }

// EventData is one event.
type EventData struct {
	EventType uint64
	EventData uint64
}

// EventTypeXidCriticalError is an event type.
const EventTypeXidCriticalError = 8

// EventSet is a set of events that a caller waits for.
type EventSet interface {
	Free() Return
	Wait(timeoutms uint32) (EventData, Return)
}

// GpmSample is a sample of performance metrics.
type GpmSample interface {
	Free() Return
	Get(device Device) Return
	MigGet(device Device, gpuInstanceId int) Return
}

// Memory is the memory of a device in bytes.
type Memory struct{ Total, Free, Used uint64 }

// GpuInstanceProfileInfo is a profile of a GPU instance.
type GpuInstanceProfileInfo struct{ Id uint32 }

// GpuInstance is a partition of a GPU.
type GpuInstance interface{ Destroy() Return }

// Device is a GPU.
type Device interface {
	GetName() (string, Return)
	GetUUID() (string, Return)
	GetMemoryInfo() (Memory, Return)
	RegisterEvents(eventTypes uint64, set EventSet) Return
	GetGpuInstanceProfileInfo(profile int) (GpuInstanceProfileInfo, Return)
	CreateGpuInstance(info *GpuInstanceProfileInfo) (GpuInstance, Return)
}

// Interface is the whole library as one value.
type Interface interface {
	Init() Return
	Shutdown() Return
	EventSetCreate() (EventSet, Return)
	EventSetFree(set EventSet) Return
	EventSetWait(set EventSet, timeoutms uint32) (EventData, Return)
	GpmSampleAlloc() (GpmSample, Return)
	GpmSampleFree(sample GpmSample) Return
	DeviceGetCount() (int, Return)
	DeviceGetHandleByIndex(index int) (Device, Return)
	ErrorString(r Return) string
}

type library struct{}

// LibraryOption configures New.
type LibraryOption func(*library)

// New gives the library as a value.
func New(opts ...LibraryOption) Interface { return &library{} }

var libnvml = &library{}

var (
	Init                   = libnvml.Init
	Shutdown               = libnvml.Shutdown
	EventSetCreate         = libnvml.EventSetCreate
	EventSetFree           = libnvml.EventSetFree
	EventSetWait           = libnvml.EventSetWait
	GpmSampleAlloc         = libnvml.GpmSampleAlloc
	GpmSampleFree          = libnvml.GpmSampleFree
	DeviceGetCount         = libnvml.DeviceGetCount
	DeviceGetHandleByIndex = libnvml.DeviceGetHandleByIndex
	ErrorString            = libnvml.ErrorString
)

func (l *library) Init() Return                          { return SUCCESS }
func (l *library) Shutdown() Return                      { return SUCCESS }
func (l *library) EventSetCreate() (EventSet, Return)    { return nil, SUCCESS }
func (l *library) EventSetFree(set EventSet) Return      { return SUCCESS }
func (l *library) GpmSampleAlloc() (GpmSample, Return)   { return nil, SUCCESS }
func (l *library) GpmSampleFree(sample GpmSample) Return { return SUCCESS }
func (l *library) DeviceGetCount() (int, Return)         { return 0, SUCCESS }
func (l *library) ErrorString(r Return) string           { return "" }
func (l *library) DeviceGetHandleByIndex(index int) (Device, Return) {
	return nil, SUCCESS
}
func (l *library) EventSetWait(set EventSet, timeoutms uint32) (EventData, Return) {
	return EventData{}, SUCCESS
}
