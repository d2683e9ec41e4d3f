// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// C declarations that look like those of the real libraries, with bodies that
// do nothing. models.gpumem says what they do with memory.
#pragma once
#include <stddef.h>
#include <stdlib.h>

// ggml
typedef struct ggml_buffer *ggml_backend_buffer_t;
typedef struct ggml_tensor *ggml_tensor_t;
static inline ggml_backend_buffer_t ggml_backend_alloc_buffer(size_t n) { return 0; }
static inline void ggml_backend_buffer_free(ggml_backend_buffer_t b) {}
static inline void ggml_backend_tensor_alloc(ggml_backend_buffer_t b, ggml_tensor_t t) {}

// OpenCV
typedef struct { double x, y; } KeyPoint;
typedef struct { KeyPoint *keypoints; int length; } KeyPoints;
static inline KeyPoints SIFT_Detect(void *d, void *src) { KeyPoints k = {0, 0}; return k; }
static inline void KeyPoints_Close(KeyPoints k) {}
typedef struct { int Code; char *Message; } OpenCVResult;
static inline OpenCVResult GpuMat_Upload(void *g, void *m) { OpenCVResult r = {0, 0}; return r; }

// libtorch
typedef void *Tensor;
static inline char *Tensor_Sort(Tensor a, Tensor *values, Tensor *indices) { return 0; }
static inline void Tensor_Close(Tensor a) {}
static inline int atg_add_(Tensor *out, Tensor self, Tensor other) { return 0; }
static inline void at_free(Tensor a) {}

// ONNX Runtime
typedef struct OrtValue OrtValue;
typedef struct OrtEnv OrtEnv;
typedef struct OrtSession OrtSession;
static inline int RunOrtSession(void *s, OrtValue **out) { return 0; }
static inline int CreateOrtTensor(void *data, size_t n, OrtValue **out) { return 0; }
static inline void *GetTensorData(OrtValue *v) { return 0; }
static inline void ReleaseOrtValue(OrtValue *v) {}
static inline int CreateEnv(const char *name, OrtEnv **out) { return 0; }
static inline void ReleaseEnv(OrtEnv *e) {}
static inline int CreateSession(OrtEnv *e, const char *path, OrtSession **out) { return 0; }
static inline void ReleaseSession(OrtSession *s) {}

// XLA
typedef struct XlaBuilder XlaBuilder;
static inline XlaBuilder *NewXlaBuilder(char *name) { return 0; }
static inline void XlaBuilderDestroy(XlaBuilder *b) {}

// vips and glib
typedef struct VipsImage VipsImage;
typedef void *gpointer;
static inline int load_image(void *buf, size_t len, VipsImage **out) { return 0; }
static inline int flip_image(VipsImage *in, VipsImage **out) { return 0; }
static inline int create_matrix(int w, int h, VipsImage **out) { return 0; }
static inline int conv_image(VipsImage *in, VipsImage *mask) { return 0; }
static inline void g_object_unref(gpointer p) {}
static inline char *get_field(VipsImage *in) { return 0; }
static inline void free_c_string(char *s) { free(s); }
static inline char *tag_list_to_string(void *t) { return 0; }
static inline char **query_options(size_t *n) { return 0; }

// FFmpeg
typedef struct AVDictionary AVDictionary;
static inline int av_dict_parse(AVDictionary **d, char *s) { return 0; }
static inline void av_dict_free(AVDictionary **d) {}
static inline int lpms_transcode(AVDictionary *opts, char *in) { return 0; }

// CUDA
typedef enum { cudaSuccess = 0 } cudaError_t;
static inline cudaError_t cudaMalloc(void **p, size_t n) { return cudaSuccess; }
static inline cudaError_t cudaFree(void *p) { return cudaSuccess; }
static inline cudaError_t cudaMemset(void *p, int v, size_t n) { return cudaSuccess; }
static inline cudaError_t cudaMemcpy(void *dst, const void *src, size_t n, int kind) { return cudaSuccess; }

typedef struct CUstream_st *cudaStream_t;
static inline cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t n, int kind, cudaStream_t s) { return cudaSuccess; }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t s) { return cudaSuccess; }

// functions that take several things at once
static inline void fill_poly(void **points, int n) {}
static inline int build_program(char **sources, int n) { return 0; }

// functions that only look at their string
static inline int load_state(void *ctx, char *path, char *mode) { return 0; }
static inline void *load_model(char *path, char *device) { return 0; }
static inline int set_variable(void *api, char *name, char *value) { return 0; }
static inline void set_name(char *name) {}
typedef struct { char *language; int threads; } params_t;

// Objective-C
typedef struct NSString *nsstring;
static inline nsstring nsstring_new(char *s) { return 0; }
static inline void nsstring_release(nsstring s) {}
static inline void *menu_item(nsstring title, int key) { return 0; }

// llama, x264, OpenGL, GStreamer and a pool, as no model knows them
typedef struct llm_model llm_model;
static inline void llm_free_model(llm_model *m) {}
typedef struct enc_engine enc_engine;
static inline int enc_encode(enc_engine *e) { return 0; }
static inline void enc_close(enc_engine *e, int *rc) {}
typedef struct gl_texture gl_texture;
static inline gl_texture *gl_texture_create(int w, int h) { return 0; }
static inline void gl_texture_bind(gl_texture *t) {}
static inline void gl_texture_delete(gl_texture *t) {}
typedef struct gst_buffer gst_buffer;
static inline gst_buffer *gst_buffer_ref(gst_buffer *b) { return b; }
static inline void gst_buffer_unref(gst_buffer *b) {}
static inline int gst_push(gst_buffer *b) { return 0; }
static inline int run_session(OrtValue **values, int n) { return 0; }
static inline void *pool_alloc(size_t n) { return 0; }
static inline void pool_free(void *p) {}

// libtorch again, and glib's main loop
static inline long long *Tensor_Sizes(Tensor a, int *n) { return 0; }
typedef int (*GSourceFunc)(void *data);
typedef void (*GDestroyNotify)(void *data);
static inline unsigned idle_add_full(GSourceFunc f, void *data, GDestroyNotify done) { return 0; }

// A client of a message broker, which no model knows
typedef struct broker_s broker_t;
typedef struct broker_conf_s broker_conf_t;
typedef struct broker_queue_s broker_queue_t;
typedef struct broker_DeleteGroup_s broker_DeleteGroup_t;
static inline broker_conf_t *broker_conf_new(void) { return 0; }
static inline void broker_conf_destroy(broker_conf_t *c) {}
static inline broker_t *broker_new(broker_conf_t *c) { return 0; }
static inline void broker_destroy(broker_t *b) {}
static inline broker_queue_t *broker_queue_new(broker_t *b) { return 0; }
static inline void broker_queue_destroy(broker_queue_t *q) {}
static inline void broker_set_log_queue(broker_t *b, broker_queue_t *q) {}
static inline broker_DeleteGroup_t *broker_DeleteGroup_new(char *group) { return 0; }
static inline void broker_DeleteGroup_destroy(broker_DeleteGroup_t *d) {}
static inline int broker_DeleteGroups(broker_t *b, broker_DeleteGroup_t **list, int n) { return 0; }
static inline double linalg_determinant(broker_t *b) { return 0; }
typedef struct broker_mock_s broker_mock_t;
static inline broker_mock_t *broker_mock_new(broker_t *b, int n) { return 0; }
static inline void broker_mock_destroy(broker_mock_t *m) {}

// A cache that can be emptied, and one that clearing ends
typedef struct kvcache kvcache_t;
static inline kvcache_t *kvcache_new(int n) { return 0; }
static inline void kvcache_clear(kvcache_t *c) {}
static inline int kvcache_dropout(kvcache_t *c, double p) { return 0; }
static inline int kvcache_used(kvcache_t *c) { return 0; }
static inline void kvcache_free(kvcache_t *c) {}
