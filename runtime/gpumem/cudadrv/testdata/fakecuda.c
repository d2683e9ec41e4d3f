// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// A libcuda.so for tests: two devices of 1 GiB whose memory is host memory. It
// is strict where the real one is: a call without a current context fails
// with 201, a mapping is unmapped as a whole, access has to be set.

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DEVICES 2
#define TOTAL (1ull << 30)
#define GRAIN (2ull << 20)
#define SLOTS 4096

enum { OK = 0, INVALID = 1, OOM = 2, NO_CONTEXT = 201, NOT_READY = 600 };

typedef struct { int device, users; } context;
static context contexts[DEVICES];
static __thread context *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// What is allocated: kind 'm' memory, 'o' host memory, 'r' reservation, 'h' handle, 'p' mapped page.
typedef struct { char kind; int device; uint64_t addr, size; int access, released, mapped; } thing;
static thing things[SLOTS];
static uint64_t used[DEVICES];
static int streams, events;

// The call that shall fail: the nth one of that name from now, with code.
static char fail_name[64];
static int fail_nth, fail_code;

void fake_fail(const char *name, int nth, int code) {
	pthread_mutex_lock(&lock);
	strncpy(fail_name, name, sizeof fail_name - 1);
	fail_nth = nth;
	fail_code = code;
	pthread_mutex_unlock(&lock);
}

static int failing(const char *name) {
	int code = OK;
	pthread_mutex_lock(&lock);
	if (fail_nth > 0 && strcmp(name, fail_name) == 0 && --fail_nth == 0)
		code = fail_code;
	pthread_mutex_unlock(&lock);
	return code;
}

// How many things of a kind are alive; 's' streams, 'e' events, 'c' users of contexts.
int fake_live(int kind) {
	int n = 0;
	if (kind == 's')
		return streams;
	if (kind == 'e')
		return events;
	if (kind == 'c')
		return contexts[0].users + contexts[1].users;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < SLOTS; i++)
		n += things[i].kind == kind;
	pthread_mutex_unlock(&lock);
	return n;
}

// Makes the context of a device current, as another library in the process would.
void fake_enter(int device) { current = device < 0 ? NULL : &contexts[device]; }
int fake_inside(void) { return current ? current->device : -1; }

#define NEED(name) do { \
	int code_ = failing(name); \
	if (code_) return code_; \
	if (!current || !current->users) return NO_CONTEXT; \
} while (0)

static thing *slot(void) {
	for (int i = 0; i < SLOTS; i++)
		if (!things[i].kind)
			return &things[i];
	return NULL;
}

static thing *find(char kind, uint64_t addr) {
	for (int i = 0; i < SLOTS; i++)
		if (things[i].kind == kind && things[i].addr == addr)
			return &things[i];
	return NULL;
}

int cuInit(unsigned flags) { return failing("cuInit"); }

int cuGetErrorName(int code, const char **out) {
	switch (code) {
	case INVALID: *out = "CUDA_ERROR_INVALID_VALUE"; return OK;
	case OOM: *out = "CUDA_ERROR_OUT_OF_MEMORY"; return OK;
	case NO_CONTEXT: *out = "CUDA_ERROR_INVALID_CONTEXT"; return OK;
	case 700: *out = "CUDA_ERROR_ILLEGAL_ADDRESS"; return OK;
	}
	return INVALID;
}

int cuGetErrorString(int code, const char **out) {
	if (code != OOM)
		return INVALID;
	*out = "out of memory";
	return OK;
}

int cuDeviceGetCount(int *n) { *n = DEVICES; return OK; }
int cuDeviceGet(int *dev, int ordinal) { *dev = ordinal + 40; return OK; } // not the ordinal, so mixing them up shows
int cuDeviceGetName(char *out, int n, int dev) { strncpy(out, "Simulacrum", n); return failing("cuDeviceGetName"); }
int cuDeviceGetUuid_v2(unsigned char *out, int dev) {
	for (int i = 0; i < 16; i++)
		out[i] = i * 16 + dev - 40;
	return OK;
}
int cuDeviceTotalMem_v2(uint64_t *n, int dev) { *n = TOTAL; return OK; }
int cuDeviceGetAttribute(int *out, int attr, int dev) { *out = attr == 102; return failing("cuDeviceGetAttribute"); }

int cuDevicePrimaryCtxRetain(context **out, int dev) {
	if (dev < 40 || dev >= 40 + DEVICES)
		return INVALID;
	contexts[dev - 40].device = dev - 40;
	__sync_fetch_and_add(&contexts[dev - 40].users, 1);
	*out = &contexts[dev - 40];
	return failing("cuDevicePrimaryCtxRetain");
}
int cuDevicePrimaryCtxRelease_v2(int dev) { __sync_fetch_and_sub(&contexts[dev - 40].users, 1); return OK; }
int cuCtxGetCurrent(context **out) { *out = current; return OK; }
int cuCtxSetCurrent(context *c) { current = c; return OK; }

int cuMemGetInfo_v2(uint64_t *free_, uint64_t *total) {
	NEED("cuMemGetInfo");
	*total = TOTAL;
	*free_ = TOTAL - used[current->device];
	return OK;
}

int cuMemAlloc_v2(uint64_t *out, uint64_t n) {
	NEED("cuMemAlloc");
	int r = OOM;
	pthread_mutex_lock(&lock);
	thing *t = slot();
	if (t && used[current->device] + n <= TOTAL) {
		void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p != MAP_FAILED) {
			*t = (thing){.kind = 'm', .device = current->device, .addr = (uint64_t)p, .size = n};
			used[current->device] += n;
			*out = t->addr;
			r = OK;
		}
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int cuMemFree_v2(uint64_t p) {
	NEED("cuMemFree");
	int r = INVALID;
	pthread_mutex_lock(&lock);
	thing *t = find('m', p);
	if (t && t->device == current->device) {
		munmap((void *)p, t->size);
		used[t->device] -= t->size;
		t->kind = 0;
		r = OK;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int cuMemHostAlloc(uint64_t *out, uint64_t n, unsigned flags) {
	NEED("cuMemHostAlloc");
	if (flags != 1)
		return INVALID;
	int r = OOM;
	pthread_mutex_lock(&lock);
	thing *t = slot();
	if (t && n <= TOTAL) {
		void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p != MAP_FAILED) {
			*t = (thing){.kind = 'o', .addr = (uint64_t)p, .size = n};
			*out = t->addr;
			r = OK;
		}
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int cuMemFreeHost(uint64_t p) {
	NEED("cuMemFreeHost");
	int r = INVALID;
	pthread_mutex_lock(&lock);
	thing *t = find('o', p);
	if (t) {
		munmap((void *)p, t->size);
		t->kind = 0;
		r = OK;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int cuMemcpyHtoD_v2(uint64_t dst, const void *src, uint64_t n) { NEED("cuMemcpyHtoD"); memcpy((void *)dst, src, n); return OK; }
int cuMemcpyDtoH_v2(void *dst, uint64_t src, uint64_t n) { NEED("cuMemcpyDtoH"); memcpy(dst, (void *)src, n); return OK; }
int cuMemsetD8Async(uint64_t p, unsigned char v, uint64_t n, void *s) { NEED("cuMemsetD8Async"); memset((void *)p, v, n); return OK; }

int cuStreamCreate(uint64_t *out, unsigned flags) {
	NEED("cuStreamCreate");
	*out = 0x5000 + 16 * __sync_add_and_fetch(&streams, 1);
	return OK;
}
int cuStreamDestroy_v2(uint64_t s) { NEED("cuStreamDestroy"); __sync_fetch_and_sub(&streams, 1); return OK; }
int cuStreamSynchronize(uint64_t s) { NEED("cuStreamSynchronize"); return OK; }
int cuStreamWaitEvent(uint64_t s, uint64_t e, unsigned flags) { NEED("cuStreamWaitEvent"); return OK; }
int cuEventCreate(uint64_t *out, unsigned flags) {
	NEED("cuEventCreate");
	*out = (uint64_t)calloc(1, sizeof(int));
	__sync_add_and_fetch(&events, 1);
	return OK;
}
int cuEventDestroy_v2(int *e) { NEED("cuEventDestroy"); free(e); __sync_fetch_and_sub(&events, 1); return OK; }
int cuEventRecord(int *e, uint64_t s) { NEED("cuEventRecord"); *e = 1; return OK; }
int cuEventQuery(int *e) { NEED("cuEventQuery"); return __sync_fetch_and_and(e, 0) ? NOT_READY : OK; } // ready at the second look
int cuEventSynchronize(int *e) { NEED("cuEventSynchronize"); *e = 0; return OK; }

typedef struct { int32_t type, handles, at, id; void *win32; unsigned char flags[8]; } prop;
typedef struct { int32_t at, id, flags; } access_desc;
_Static_assert(sizeof(prop) == 32 && sizeof(access_desc) == 12, "the sizes of cuda.h");

int cuMemGetAllocationGranularity(uint64_t *out, const prop *p, int which) {
	NEED("cuMemGetAllocationGranularity");
	if (p->type != 1 || p->at != 1 || p->id < 40)
		return INVALID;
	*out = GRAIN;
	return OK;
}

int cuMemAddressReserve(uint64_t *out, uint64_t n, uint64_t align, uint64_t addr, uint64_t flags) {
	NEED("cuMemAddressReserve");
	if (n % GRAIN || align || addr || flags)
		return INVALID;
	uint64_t p = (uint64_t)mmap(NULL, n + GRAIN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	p = (p + GRAIN - 1) / GRAIN * GRAIN;
	pthread_mutex_lock(&lock);
	*slot() = (thing){.kind = 'r', .addr = p, .size = n};
	pthread_mutex_unlock(&lock);
	*out = p;
	return OK;
}

int cuMemAddressFree(uint64_t p, uint64_t n) {
	NEED("cuMemAddressFree");
	int r = INVALID;
	pthread_mutex_lock(&lock);
	thing *t = find('r', p);
	if (t && t->size == n) {
		r = OK;
		for (int i = 0; i < SLOTS; i++)
			if (things[i].kind == 'p' && things[i].addr >= p && things[i].addr < p + n)
				r = INVALID;
	}
	if (r == OK)
		t->kind = 0;
	pthread_mutex_unlock(&lock);
	return r;
}

int cuMemCreate(uint64_t *out, uint64_t n, const prop *p, uint64_t flags) {
	NEED("cuMemCreate");
	if (n % GRAIN || p->id - 40 != current->device || flags)
		return INVALID;
	int r = OOM;
	pthread_mutex_lock(&lock);
	thing *t = slot();
	if (t && used[current->device] + n <= TOTAL) {
		*t = (thing){.kind = 'h', .device = current->device, .size = n};
		*out = t->addr = (uint64_t)t;
		used[current->device] += n;
		r = OK;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

// The memory of a handle goes when it is released and not mapped; lock is held.
static void drop(thing *h) {
	if (h->released && !h->mapped) {
		used[h->device] -= h->size;
		h->kind = 0;
	}
}

int cuMemRelease(uint64_t h) {
	NEED("cuMemRelease");
	int r = INVALID;
	pthread_mutex_lock(&lock);
	thing *t = find('h', h);
	if (t && !t->released) {
		t->released = 1;
		drop(t);
		r = OK;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int cuMemMap(uint64_t p, uint64_t n, uint64_t offset, uint64_t h, uint64_t flags) {
	NEED("cuMemMap");
	int r = INVALID, reserved = 0;
	pthread_mutex_lock(&lock);
	thing *t = find('h', h);
	for (int i = 0; i < SLOTS; i++)
		reserved |= things[i].kind == 'r' && p >= things[i].addr && p + n <= things[i].addr + things[i].size;
	if (t && reserved && t->size == n && p % GRAIN == 0 && !find('p', p)) {
		t->mapped++;
		*slot() = (thing){.kind = 'p', .addr = p, .size = n, .released = t - things};
		r = OK;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int cuMemSetAccess(uint64_t p, uint64_t n, const access_desc *desc, uint64_t count) {
	NEED("cuMemSetAccess");
	if (!count || desc[0].at != 1 || desc[0].id < 40 || desc[0].flags != 3)
		return INVALID;
	int r = mprotect((void *)p, n, PROT_READ | PROT_WRITE) ? INVALID : OK;
	return r;
}

int cuMemUnmap(uint64_t p, uint64_t n) {
	NEED("cuMemUnmap");
	int r = INVALID;
	pthread_mutex_lock(&lock);
	thing *t = find('p', p);
	if (t && t->size == n) {
		thing *h = &things[t->released];
		mprotect((void *)p, n, PROT_NONE);
		h->mapped--;
		drop(h);
		t->kind = 0;
		r = OK;
	}
	pthread_mutex_unlock(&lock);
	return r;
}
